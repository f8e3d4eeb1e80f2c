/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_DEVICES_COMMAND_H
#define CLI_DEVICES_COMMAND_H

/* Runs `trawl devices` with argv[0] = "devices". Returns the exit status; an error has been
 * reported. */
int trawl_command_devices(int argc, char **argv);

#endif
