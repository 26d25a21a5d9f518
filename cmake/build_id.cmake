# Writes a C file with a digest of the library's source files and of what else it is built with.
#     cmake -D FOLDER=src -D PARSERS=grammars-KEY -D OUTPUT=build_id.c -P build_id.cmake
set(all "${PARSERS}\n")
file(GLOB_RECURSE files ${FOLDER}/*.c ${FOLDER}/*.cc ${FOLDER}/*.h)
list(SORT files)
foreach(file ${files})
    file(SHA256 ${file} digest)
    string(APPEND all "${digest}\n")
endforeach()
string(SHA256 digest "${all}")
file(WRITE ${OUTPUT}
    "#include \"build.h\"\n\nconst char *tw_build_id(void)\n{\n    return \"${digest}\";\n}\n")
