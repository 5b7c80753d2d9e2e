/**
 * A script for a page that tries every way to reach `authority` (`name:port`) and reports the result of each. `path` is the path of its
 * page. The script is text because it runs in a browser, whose globals differ from those of this repository.
 */
export const attackScript = (authority: string, path: string): string => `(async () => {
  const root = ${JSON.stringify(path)};
  const authority = ${JSON.stringify(authority)};
  const base = 'http://' + authority;
  const socket = (path) =>
    new Promise((resolve) => {
      const made = new WebSocket('ws://' + authority + path);
      made.onopen = () => resolve('open');
      made.onerror = () => resolve('refused');
    });
  const ask = (path, init) =>
    fetch(base + path, { credentials: 'include', ...init }).then(
      async (response) => response.type + ' ' + response.status + ' ' + (await response.text()),
      () => 'blocked',
    );
  const element = (tag, path) =>
    new Promise((resolve) => {
      const made = document.createElement(tag);
      made.onload = () => resolve('loaded');
      made.onerror = () => resolve('blocked');
      if (tag === 'link') made.rel = 'stylesheet';
      made[tag === 'link' ? 'href' : 'src'] = base + path;
      document.body.append(made);
    });
  const frame = () =>
    new Promise((resolve) => {
      const made = document.createElement('iframe');
      made.onload = () => {
        try {
          resolve(made.contentDocument?.body.innerText ?? 'not readable');
        } catch {
          resolve('not readable');
        }
      };
      made.src = base + root;
      document.body.append(made);
    });
  const post = { mode: 'no-cors', method: 'POST', body: '{"jsonrpc":"2.0"}' };
  return {
    socket: await socket('/ahp'),
    'socket at /': await socket('/'),
    'socket with a guess': await socket('/ahp?token=guess'),
    'page by fetch': await ask(root, {}),
    'page without cors': await ask(root, { mode: 'no-cors' }),
    'state by fetch': await ask('/readyz', {}),
    'state without cors': await ask('/readyz', { mode: 'no-cors' }),
    'post without cors': await ask('/ahp', post),
    image: await element('img', root),
    script: await element('script', '/readyz'),
    style: await element('link', root),
    frame: await frame(),
  };
})()`;

/** A script that sends a form to `url`, as a page does on a click. */
export const postScript = (url: string): string => `(() => {
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: ${JSON.stringify(url)} });
  document.body.append(form);
  form.submit();
})()`;

/** A script that shows a link to `url` and follows it. */
export const linkScript = (url: string): string => `(() => {
  const link = document.createElement('a');
  Object.assign(link, { href: ${JSON.stringify(url)}, innerText: 'look at this' });
  document.body.append(link);
  link.click();
})()`;

/** A script that opens a window on `url` and keeps hold of it. */
export const openScript = (url: string): string =>
  `void (window.opened = window.open(${JSON.stringify(url)}))`;
