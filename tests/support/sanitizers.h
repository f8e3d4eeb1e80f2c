/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which sanitizers a test is built with: everything takes several times longer with them.
 */
#ifndef TRAWL_TESTS_SANITIZERS_H
#define TRAWL_TESTS_SANITIZERS_H

#if defined(__has_feature)
#define TESTS_HAVE_FEATURE(name) __has_feature(name)
#else
#define TESTS_HAVE_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || TESTS_HAVE_FEATURE(address_sanitizer)
#define TESTS_ADDRESS_SANITIZER 1
#else
#define TESTS_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || TESTS_HAVE_FEATURE(thread_sanitizer)
#define TESTS_THREAD_SANITIZER 1
#else
#define TESTS_THREAD_SANITIZER 0
#endif

#define TESTS_ARE_SANITIZED (TESTS_ADDRESS_SANITIZER || TESTS_THREAD_SANITIZER)

/* With sanitizers, and on emulated processors (set where tests are built for another machine),
 * tests take fewer rounds and shorter texts. */
#ifndef TESTS_ARE_EMULATED
#define TESTS_ARE_EMULATED 0
#endif
#define TESTS_ARE_SLOW (TESTS_ARE_SANITIZED || TESTS_ARE_EMULATED)

/* Provided by the run-time of AddressSanitizer and ThreadSanitizer. */
#if TESTS_ARE_SANITIZED
void __sanitizer_set_death_callback(void (*callback)(void));
#endif

/* Calls `tell` before a sanitizer ends the process; does nothing without one. */
static inline void sanitizer_on_death(void (*tell)(void)) {
#if TESTS_ARE_SANITIZED
    __sanitizer_set_death_callback(tell);
#else
    (void)tell;
#endif
}

#endif
