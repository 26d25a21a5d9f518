# Run by CPack before it packs the package of Debian: what its policy asks for, made from what is
# there.
set(docs ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/${CPACK_PACKAGE_NAME})
set(man ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/man/man1)

file(GLOB pages ${man}/*.1)
foreach(page ${pages})
    execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # or SOURCE_DATE_EPOCH
file(WRITE ${docs}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; \
urgency=medium\n\n  * See NEWS.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
execute_process(COMMAND gzip -9nf ${docs}/changelog COMMAND_ERROR_IS_FATAL ANY)

file(GLOB licences ${docs}/licences/*)
set(parsers "")
foreach(licence ${licences})
    get_filename_component(name ${licence} NAME)
    file(READ ${licence} text)
    string(REPLACE "\n\n" "\n.\n" text "${text}")
    string(REPLACE "\n" "\n " text "${text}")
    string(APPEND parsers "\nFiles: ${name}\nLicense: MIT\n ${text}\n")
endforeach()
file(WRITE ${docs}/copyright "Format: https://www.debian.org/doc/packaging-manuals/\
copyright-format/1.0/\nUpstream-Name: twinset\n\nFiles: *\nCopyright: the authors of twinset\n\
License: Apache-2.0\n On Debian systems, the full text of the Apache License 2.0 is in\n \
/usr/share/common-licenses/Apache-2.0.\nComment:\n The folder libraries has the copyright of the \
libraries that are linked\n into the command.\n${parsers}")
file(REMOVE ${docs}/LICENSE)
file(REMOVE_RECURSE ${docs}/licences)

# One package for all releases of Debian and Ubuntu cannot depend on theirs.
if(EXISTS ${docs}/libraries)
    set(overrides "")
    foreach(library bzip2 libxml2 zlib)
        string(APPEND overrides
            "${CPACK_PACKAGE_NAME}: embedded-library ${library} [usr/bin/twinset]\n")
    endforeach()
    file(WRITE ${docs}/../../lintian/overrides/${CPACK_PACKAGE_NAME} "${overrides}")
endif()
