// Content of agents that tries to run scripts, to load something, or to deceive people.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf } from './acts.ts';
import { stageOfFile } from './stage.ts';

const HTML = '<script>hacked = 1</script><img src=x onerror="hacked = 1"><svg onload="hacked = 1">';
const BIDI = 'invoice\u202Efdp.exe';

describe.skipIf(!hasChromium)('hostile content', () => {
  const stage = stageOfFile();

  test('in Markdown runs no script, loads nothing, and its links ask first', async () => {
    const client = await stage().client();
    const lines = [
      `say ${HTML} after the script`,
      'say ![pixel](https://evil.example/pixel.png) <img src="https://evil.example/2.png">',
      'say [click me](https://evil.example/steal?a=b) and [run me](javascript:hacked=1) and [open me](data:text/html,hi)',
      'say <a href="https://evil.example/raw" ping="https://evil.example/ping">raw link</a>',
      'say <style>body { display: none }</style><iframe src="https://evil.example/frame"></iframe> still readable',
      `say The file is ${BIDI} here`,
    ];
    const { uri, path } = await stage().session(client);
    const session = await client.sessions.open(uri);
    for (const line of lines) await session.prompt(line).result;
    const page = await stage().open(path);
    const answer = messagesOf(page);
    await answer
      .getByText(/still readable/)
      .last()
      .waitFor();
    await answer
      .getByText(/The file is invoice⟨U\+202E⟩fdp\.exe here/)
      .last()
      .waitFor();
    expect(await page.evaluate('typeof hacked')).toBe('undefined');
    await page.getByRole('log').evaluate((log) => Reflect.set(log, 'scrollTop', 0));
    await answer
      .getByText(/after the script/)
      .last()
      .waitFor();
    expect(await answer.locator('script, iframe, style, img, svg[onload]').count()).toBe(0);
    expect(await answer.locator('a[href^="javascript:"], a[href^="data:"], a[ping]').count()).toBe(0);

    await answer.getByRole('link', { name: 'click me' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open this link?' });
    await dialog.getByText('https://evil.example/steal?a=b', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await answer.getByRole('link', { name: 'click me' }).click({ button: 'middle' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await answer.getByRole('button', { name: 'Open image' }).first().click();
    await dialog.getByText('https://evil.example/pixel.png', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(page.context().pages()).toHaveLength(1);
  });

  test('in character references is text: no element, no script and no hidden character', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client);
    const session = await client.sessions.open(uri);
    await session.rename('Title &lt;script&gt; &amp;');
    // The demo agent repeats what a tool answers as Markdown.
    const lines = [
      'Salt &amp; pepper &lt;script&gt;hacked = 1&lt;/script&gt; &#60;img src=x onerror=&quot;hacked = 1&quot;&#62; end',
      'Code `&lt;b&gt; &amp;` is as written',
      '[first](javascript&colon;hacked=1) [second](&#106;avascript:hacked=1) [third](java&Tab;script:hacked=1)',
      'The invoice&#x202E;fdp.exe and &#8238;txt.exe',
    ];
    await session.offerTools([
      { name: 'letter', description: 'A letter', run: () => ['', ...lines].join('\n\n') },
    ]);
    await session.prompt('tool letter').result;
    const page = await stage().open(path);
    const answer = messagesOf(page);
    await answer.getByText('The invoice⟨U+202E⟩fdp.exe and ⟨U+202E⟩txt.exe', { exact: true }).waitFor();
    const plain = 'Salt & pepper <script>hacked = 1</script> <img src=x onerror="hacked = 1"> end';
    await answer.getByText(plain, { exact: true }).waitFor();
    await answer.getByRole('code').getByText('&lt;b&gt; &amp;', { exact: true }).waitFor();
    for (const name of ['first', 'second', 'third']) await answer.getByText(name, { exact: true }).click();
    expect(await page.evaluate('typeof hacked')).toBe('undefined');
    expect(await answer.locator('script, img').count()).toBe(0);
    expect(await answer.locator('a[href]:not([href^="http"])').count()).toBe(0);
    await page.getByRole('heading', { level: 1 }).getByText('Title &lt;script&gt; &amp;').waitFor();
  });

  test('in titles, tool names, file names and questions is shown as it is', async () => {
    const client = await stage().client();
    const name = `<img/src=x/onerror=hacked=1>\u202Etxt.exe`;
    const { uri, path } = await stage().session(client, `write ${name} <b>bold</b>`);
    const session = await client.sessions.open(uri);
    await session.rename(`<h1>Title</h1>\u202Eelppa \u001b[31m`);
    const page = await stage().open(path);
    await messagesOf(page).getByText('⟨U+202E⟩txt.exe').first().waitFor();
    await page.getByRole('heading', { level: 1 }).getByText('<h1>Title</h1>⟨U+202E⟩elppa').waitFor();
    const board = page
      .getByRole('complementary')
      .getByRole('link', { name: /<h1>Title<\/h1>⟨U\+202E⟩elppa/ });
    await board.waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await messagesOf(page).getByText('Done').first().waitFor();
    expect(await page.evaluate('typeof hacked')).toBe('undefined');
    expect(await page.title()).not.toContain('\u202E');
    const hidden = /[\u202a-\u202e\u200e\u200f]/;
    expect(await page.locator('body').innerText()).not.toMatch(hidden);
    await page.goto(stage().origin);
    await page
      .getByRole('main')
      .getByRole('link', { name: /<h1>Title/ })
      .first()
      .waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(hidden);
  });

  test('in the output of a command neither moves the cursor over the page nor hides', async () => {
    const client = await stage().client();
    const output = String.raw`\033]0;pwned\007\033[31mred words\033[0m\033]8;;https://evil.example/\033\\link words\033]8;;\033\\\033]52;c;aGk=\007\342\200\256sdrow`;
    const { uri, path } = await stage().session(client, `title Colours\nrun printf '${output}'`);
    const page = await stage().open(path);
    await page
      .getByRole('button', { name: /^Allow/ })
      .first()
      .click();
    await messagesOf(page).getByText('red words').first().waitFor();
    await messagesOf(page).getByText('link words').first().waitFor();
    const text = await messagesOf(page).innerText();
    expect(text).not.toMatch(/\u001b|\u202e/);
    expect(await page.title()).not.toContain('pwned');
    const session = await client.sessions.open(uri);
    expect(session.mirror.state.title).not.toContain('pwned');
  });
});
