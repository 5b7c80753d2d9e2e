/** The port of a host that is started without one. */
export const DEFAULT_PORT = 4711;
