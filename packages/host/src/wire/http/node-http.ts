/**
 * Node's HTTP. `import` would read all that the module exports, and among that is the WebSocket of browsers, for which Node loads
 * an HTTP client that a host has no use for: some 5 MB.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
