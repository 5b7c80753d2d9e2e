// Loaded before the program by `--import`. It logs the modules that the program loads, removes one module, or drops the program's requests
// of one method.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const { LOADED_MODULES: log, LOST_MODULE: lostModule, LOST_METHOD: lostMethod } = process.env;

registerHooks({
  load: (url, context, nextLoad) => {
    if (log !== undefined) appendFileSync(log, `${url}\n`);
    if (lostModule !== undefined && url.endsWith(lostModule)) throw new Error(`${url} is gone`);
    return nextLoad(url, context);
  },
});

if (lostMethod !== undefined) {
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (this: WebSocket, frame) {
    if (!String(frame).includes(`"method":"${lostMethod}"`)) send.call(this, frame);
  };
}
