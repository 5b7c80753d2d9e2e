export { authorizationServer } from './authorization-server.ts';
export { remoteServer } from './remote-server.ts';
