/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/headers.h"

/* Octal escapes have three digits, so that a digit may follow one. */
#define HEADER(text)                                                                               \
    { (text), sizeof(text) - 1 }

const file_header file_headers[FILE_HEADERS] = {
    HEADER("FOREMOST"),
    HEADER("JG\004\016"),
    HEADER("JG\003\016"),
    HEADER("\320\313\000\000"),
    HEADER("GIF87a"),
    HEADER("GIF89a"),
    HEADER("\377\374\375\376"),
    HEADER("II*\000"),
    HEADER("MM\000*"),
    HEADER("\000\000\001\272"),
    HEADER("\000\000\001\271"),
    HEADER("\000\000\001\263"),
    HEADER("\000\000\001\267"),
    HEADER("\320\317\021\340\241\261\032\341\000\000"),
    HEADER("\320\317\021\340\241\261"),
    HEADER("!BN\245o\265\246"),
    HEADER("!BDN"),
    HEADER("\317\255\022\376\305\375to"),
    HEADER("JMF9"),
    HEADER("JMF6"),
    HEADER("<html"),
    HEADER("</html>"),
    HEADER("%PDF"),
    HEADER("%EOF\015"),
    HEADER("%EOF\012"),
    HEADER("AOLVM"),
    HEADER("PGPdMAIN`\001"),
    HEADER("-----BEGIN\\040PGP"),
    HEADER(".ra\375"),
    HEADER(".RMF"),
    HEADER("regf"),
    HEADER("CREG"),
    HEADER("PK\003\004"),
};
