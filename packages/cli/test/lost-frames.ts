// Comes before the program, by `--import`: what it asks a host by the method LOST_METHOD never gets there.
const method = process.env['LOST_METHOD'] ?? '';
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (this: WebSocket, frame) {
  if (!String(frame).includes(`"method":"${method}"`)) send.call(this, frame);
};
