# Writes a file as C: cmake -D PAGE=... -D NAME=... -D HEADER=... -D OUTPUT=... -P embed_page.cmake.
# NAME is that of the array, HEADER declares it. Without a PAGE, an empty one.
set(bytes "")
set(count 0)
if(PAGE)
    file(SIZE ${PAGE} count)
    file(READ ${PAGE} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "((0x..,){16})" "\\1\n" bytes "${bytes}")
endif()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\n"
    "const unsigned char ${NAME}[] = {\n${bytes}0};\n"
    "const size_t ${NAME}_bytes = ${count};\n")
