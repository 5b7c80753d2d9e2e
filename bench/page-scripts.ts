// Scripts that run inside the page. They are texts, so that no code of the bench's build gets into the browser.

/** Records when the WebSocket opened, and when a text first appeared. Before any script of the page. */
export const watchFirstPage = (text: string): string => `
  window.bench = {};
  window.WebSocket = class extends window.WebSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener('open', () => { window.bench.openedAt ??= performance.now(); });
    }
  };
  const look = () => {
    // \`innerText\` would lay the page out at each change.
    const log = window.bench.shownAt === undefined ? document.querySelector('[role=log]') : null;
    if (log?.textContent.includes(${JSON.stringify(text)}))
      requestAnimationFrame(() => { window.bench.shownAt ??= performance.now(); });
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });`;

/** Milliseconds from the opening of the WebSocket to the first frame with the text; \`undefined\` before. */
export const firstPageMs = 'window.bench.shownAt && window.bench.shownAt - window.bench.openedAt';

/** Begins to sample how long a task waits for the main thread, and to list long tasks. */
export const watchLoop = `
  window.loop = { waits: [], tasks: [] };
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.loop.tasks.push(duration); })
    .observe({ type: 'longtask' });
  const channel = new MessageChannel();
  let sentAt = 0;
  channel.port1.onmessage = () => {
    window.loop.waits.push(performance.now() - sentAt);
    setTimeout(send, 10);
  };
  const send = () => { sentAt = performance.now(); channel.port2.postMessage(0); };
  send();`;

/** The samples so far; begins new lists. */
export const takeLoop = `(() => { const { waits, tasks } = window.loop; window.loop.waits = []; window.loop.tasks = []; return { waits, tasks }; })()`;

/** Types a text into a field at once and resolves with the milliseconds until the first frame in which another text is gone. */
export const filterMs = (label: string, value: string, gone: string): string => `new Promise((resolve) => {
  const field = document.querySelector('aside [aria-label=${JSON.stringify(label)}]');
  const isGone = () => !document.querySelector('aside').innerText.includes(${JSON.stringify(gone)});
  const startedAt = performance.now();
  const check = () => (isGone() ? resolve(performance.now() - startedAt) : requestAnimationFrame(check));
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(value)});
  field.dispatchEvent(new Event('input', { bubbles: true }));
  requestAnimationFrame(check);
})`;
