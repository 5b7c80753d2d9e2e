import { UnreadableResource } from '@agenthost/host/agent';
import type { MessageAttachment } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { attachmentLine } from './attachment-line.ts';
import { readAttachments } from './read-attachments.ts';

const files: Readonly<Record<string, Uint8Array | UnreadableResource>> = {
  'file:///w/a.ts': Buffer.from('one\ntwo\nthree\nfour\n'),
  'file:///w/p.png': Buffer.from([0x89, 0x50, 0]),
  'file:///w/data.bin': Buffer.from([0, 1, 2]),
  'file:///w/gone.ts': new UnreadableResource('missing', 'no'),
  'file:///etc/shadow': new UnreadableResource('denied', 'no'),
  'file:///w/src': new UnreadableResource('folder', 'no'),
  'agenthost-content:/photo': Buffer.alloc(5_000_000, 0xf0),
  'agenthost-content:/notes': Buffer.from('one\ntwo\nthree\n'),
  'agenthost-content:/gone': new UnreadableResource('missing', 'no'),
  'agenthost-content:/huge': Buffer.alloc(9_000_000, 0xf0),
  'file:///w/fifo': new UnreadableResource('unreadable', 'no'),
};
const types: Readonly<Record<string, string>> = { 'file:///w/p.png': 'image/png' };

async function readResource(uri: string, { maxBytes = 0 }: { maxBytes?: number } = {}) {
  if (!/^(?:file|agenthost-content):/.test(uri)) throw new UnreadableResource('elsewhere', 'no');
  const data = uri === 'file:///w/big.txt' ? Buffer.alloc(600 * 1024, 'x') : files[uri];
  if (data === undefined) throw new Error(`the test has no ${uri}`);
  if (data instanceof UnreadableResource) throw data;
  if (data.byteLength > maxBytes) throw new UnreadableResource('tooLarge', 'no');
  return { data, contentType: types[uri] ?? 'application/octet-stream' };
}

const read = (...attachments: MessageAttachment[]) => readAttachments({ attachments }, readResource);
const range = (line: number, character: number, endLine: number, endCharacter: number) => ({
  start: { line, character },
  end: { line: endLine, character: endCharacter },
});
const file = (uri: string, label = 'x') => ({ type: 'resource' as const, uri, label });
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('an attachment', () => {
  it('of the simple kind becomes its text for the model, or its name', async () => {
    expect(await read({ type: 'simple', label: 's', modelRepresentation: 'simply this' })).toEqual([
      { given: [{ kind: 'words', text: 'simply this' }] },
    ]);
    expect(await read({ type: 'simple', label: 's' })).toEqual([{ given: [{ kind: 'words', text: '[s]' }] }]);
    // The command is in the message and must come first.
    expect(await read({ type: 'simple', label: 's', modelRepresentation: '' })).toEqual([{ given: [] }]);
  });

  it('that the host stores outside its message is passed on like an embedded one', async () => {
    const kept = (id: string) => file(`agenthost-content:/${id}`, id);
    expect(
      await read(
        { ...kept('notes'), contentType: 'text/plain', selection: { range: range(1, 0, 2, 0) } },
        { ...kept('notes'), contentType: 'text/plain' },
        { ...kept('photo'), contentType: 'image/png' },
      ),
    ).toEqual([
      { given: [{ kind: 'words', text: expect.stringContaining('two') }] },
      {
        given: [
          {
            kind: 'text',
            name: 'notes',
            uri: 'attachment:notes',
            contentType: 'text/plain',
            text: 'one\ntwo\nthree\n',
          },
        ],
      },
      {
        given: [
          {
            kind: 'image',
            name: 'photo',
            uri: 'attachment:photo',
            contentType: 'image/png',
            data: Buffer.alloc(5_000_000, 0xf0).toString('base64'),
          },
        ],
      },
    ]);
    expect(await read(kept('gone'), { ...kept('huge'), contentType: 'image/png' })).toEqual([
      expect.objectContaining({
        problem: 'gone did not reach the agent: the host no longer has it.',
      }),
      expect.objectContaining({
        problem: 'huge did not reach the agent: its 9000000 bytes exceed the limit.',
      }),
    ]);
  });

  it('that is embedded becomes text, an image or other data, depending on its type', async () => {
    const embedded = { type: 'embeddedResource' as const, label: 'e' };
    const named = { name: 'e', uri: 'attachment:e' };
    expect(
      await read(
        { ...embedded, data: base64('hi'), contentType: 'text/plain' },
        { ...embedded, data: 'AAAA', contentType: 'image/png' },
        { ...embedded, data: 'AAAA', contentType: 'application/pdf' },
        {
          ...embedded,
          data: base64('a\nb\nc'),
          contentType: 'text/plain',
          selection: { range: range(1, 0, 1, 1) },
        },
      ),
    ).toEqual([
      { given: [{ kind: 'text', ...named, contentType: 'text/plain', text: 'hi' }] },
      { given: [{ kind: 'image', ...named, contentType: 'image/png', data: 'AAAA' }] },
      { given: [{ kind: 'binary', ...named, contentType: 'application/pdf', data: 'AAAA' }] },
      {
        given: [
          { kind: 'words', text: '<selection name="e" uri="attachment:e" range="line 2">\nb\n</selection>' },
        ],
      },
    ]);
  });

  it('with a wrong text type is passed on as data', async () => {
    const wrong = { type: 'embeddedResource' as const, label: 'e', data: '/w==', contentType: 'text/plain' };
    expect((await read(wrong))[0]?.given).toMatchObject([{ kind: 'binary', data: '/w==' }]);
  });

  it('that refers to a file is read as text, an image or other data', async () => {
    const found = await read(file('file:///w/a.ts'), file('file:///w/p.png'), file('file:///w/data.bin'));
    expect(found.map(({ given }) => given[0]?.kind)).toEqual(['text', 'image', 'binary']);
    expect(found[0]?.given).toMatchObject([{ text: 'one\ntwo\nthree\nfour\n', uri: 'file:///w/a.ts' }]);
  });

  it.each([
    [range(1, 0, 3, 0), 'lines 2 to 3', 'two\nthree\n'],
    [range(1, 1, 2, 2), 'lines 2 to 3', 'wo\nth'],
    [range(2, 0, 2, 99), 'line 3', 'three'],
    [range(3, 0, 40, 0), 'lines 4 to 40', 'four\n'],
  ])(
    'that refers to a part of a file quotes it with file and range: %j',
    async (selection, place, quoted) => {
      const [found] = await read({ ...file('file:///w/a.ts', 'a.ts'), selection: { range: selection } });
      expect(found).toEqual({
        given: [
          {
            kind: 'words',
            text: `<selection name="a.ts" uri="file:///w/a.ts" range="${place}">\n${quoted}\n</selection>`,
          },
        ],
      });
    },
  );

  it('that refers to lines beyond the end of the file says so', async () => {
    const [found] = await read({
      ...file('file:///w/a.ts', 'a.ts'),
      selection: { range: range(30, 0, 31, 0) },
    });
    expect(found?.given).toEqual([
      { kind: 'words', text: '[a.ts (file:///w/a.ts) is attached, but it no longer has line 31]' },
    ]);
    expect(found?.problem).toBe('a.ts did not reach the agent: it no longer has line 31.');
  });

  it.each([
    ['file:///w/gone.ts', 'the file does not exist'],
    ['file:///etc/shadow', 'the host may not read it for this session'],
    ['file:///w/fifo', 'it could not be read'],
  ])('that cannot be read is reported to the agent and to the user: %s', async (uri, why) => {
    expect(await read(file(uri))).toEqual([
      {
        given: [{ kind: 'words', text: `[x (${uri}) is attached, but ${why}]` }],
        problem: `x did not reach the agent: ${why}.`,
      },
    ]);
  });

  it('that is a folder or a web page becomes a link', async () => {
    expect(await read(file('file:///w/src'), file('https://example.com/a'))).toEqual([
      { given: [{ kind: 'link', name: 'x', uri: 'file:///w/src' }] },
      { given: [{ kind: 'link', name: 'x', uri: 'https://example.com/a' }] },
    ]);
    const [unknown] = await read(file('untitled:a'));
    expect(unknown?.given).toEqual([{ kind: 'link', name: 'x', uri: 'untitled:a' }]);
    expect(unknown?.problem).toContain('could not be read by the host');
  });

  it('that is too large, alone or with earlier ones, becomes a link with a note', async () => {
    const all = await read(...Array.from({ length: 15 }, () => file('file:///w/big.txt', 'big')));
    expect(all.map(({ given }) => given[0]?.kind)).toEqual([
      ...Array.from({ length: 13 }, () => 'text'),
      'link',
      'link',
    ]);
    expect(all[14]).toMatchObject({
      given: [
        {},
        { kind: 'words', text: expect.stringContaining('read what you need from file:///w/big.txt') },
      ],
      problem: expect.stringContaining('too large'),
    });
    const data = base64('y'.repeat(1024 * 1024 + 1));
    const [embedded] = await read({ type: 'embeddedResource', label: 'e', data, contentType: 'text/plain' });
    expect(embedded?.problem).toBe('e did not reach the agent: its 1048577 bytes exceed the limit.');
  });

  it('of annotations contains file, range, quoted text and comments', async () => {
    const attachment = {
      type: 'annotations' as const,
      label: 'remarks',
      resource: 'ahp-session:/1/annotations',
    };
    const [found] = await read({
      ...attachment,
      'x-annotations': [
        { resource: 'file:///w/a.ts', range: range(1, 0, 1, 3), quote: 'two', text: { markdown: '*why?*' } },
        { resource: 'file:///w/b.ts', text: 'unused' },
      ],
    });
    expect(found).toEqual({
      given: [
        {
          kind: 'words',
          text: '<annotation uri="file:///w/a.ts" range="line 2">\n<quoted>\ntwo\n</quoted>\n*why?*\n</annotation>\n\n<annotation uri="file:///w/b.ts">\nunused\n</annotation>',
        },
      ],
    });
    const [bare] = await read({ ...attachment, annotationIds: ['1', '2'] });
    expect(bare?.given).toEqual([
      {
        kind: 'words',
        text: '[remarks (ahp-session:/1/annotations (1, 2)) is attached, but the message does not contain the text of the annotations]',
      },
    ]);
  });

  it('of an unknown kind is passed on by its name', async () => {
    const later: MessageAttachment[] = JSON.parse(
      '[{"type":"hologram","label":"ship","beam":3},{"type":"x"}]',
    );
    expect((await read(...later)).map(({ given }) => given)).toEqual([
      [{ kind: 'words', text: '[ship is attached, but its kind, hologram, is unknown to this host]' }],
      [{ kind: 'words', text: '[attachment is attached, but its kind, x, is unknown to this host]' }],
    ]);
  });

  it('whose reading fails unexpectedly fails the turn', async () => {
    await expect(read(file('file:///w/unknown'))).rejects.toThrow('the test has no');
  });
});

describe('a record of earlier attachments', () => {
  it('is one line with at most twenty names', () => {
    expect(attachmentLine({})).toBeUndefined();
    expect(
      attachmentLine({
        attachments: [
          { ...file('file:///w/a.ts', 'a.ts'), selection: { range: range(1, 0, 3, 0) } },
          { type: 'embeddedResource', label: 'p.png', data: '', contentType: 'image/png' },
          { type: 'simple', label: 's' },
          { type: 'annotations', label: 'remarks', resource: 'ahp-session:/1/annotations' },
        ],
      }),
    ).toBe('(Attached: a.ts, lines 2 to 3, file:///w/a.ts; p.png, image/png; s; remarks, annotations)');
    const many = Array.from({ length: 23 }, (_, index) => ({ type: 'simple' as const, label: `${index}` }));
    expect(attachmentLine({ attachments: many })).toMatch(/; 19; and 3 more\)$/);
  });
});
