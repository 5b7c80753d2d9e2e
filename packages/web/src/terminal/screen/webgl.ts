import { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';
import { withStyleNonce } from './allow-styles.ts';

/** Browsers take the context of the oldest canvas away beyond 8 to 16 contexts in a page. */
const MAX_CONTEXTS = 4;

/** Renderers that run on the processor. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|microsoft basic/i;

let contexts = 0;
let isSupported: boolean | undefined;

/** Whether WebGL 2 runs on a graphics card here. Software rendering is slower than the DOM. */
function hasFastWebgl(): boolean {
  if (isSupported !== undefined) return isSupported;
  const context = document
    .createElement('canvas')
    .getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  isSupported = context !== null && !SOFTWARE.test(rendererOf(context));
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return isSupported;
}

function rendererOf(context: WebGL2RenderingContext): string {
  const info = context.getExtension('WEBGL_debug_renderer_info');
  return info === null ? '' : String(context.getParameter(info.UNMASKED_RENDERER_WEBGL));
}

/** Draws an open emulator by WebGL where that is fast. Returns a function that goes back to the DOM, as a lost context does. */
export function drawByWebgl(terminal: Terminal): () => void {
  if (contexts >= MAX_CONTEXTS || !hasFastWebgl()) return () => undefined;
  const addon = new WebglAddon();
  let isUsed = true;
  contexts += 1;
  const stop = (): void => {
    if (!isUsed) return;
    isUsed = false;
    contexts -= 1;
    // The DOM renderer comes back.
    withStyleNonce(() => addon.dispose());
  };
  addon.onContextLoss(stop);
  try {
    terminal.loadAddon(addon);
  } catch {
    // The browser refused a context. The DOM renderer is still there.
    stop();
  }
  return stop;
}
