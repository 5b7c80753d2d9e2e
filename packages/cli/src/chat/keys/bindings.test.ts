import { describe, expect, test } from 'vitest';
import { BINDINGS, commandOf, hintsOf, type KeyContext, keyRows } from './bindings.ts';
import { keyEvents, type RawKey } from './key-event.ts';
import { chatKeysText } from './keys-text.ts';

const contexts = Object.keys(BINDINGS).filter((name): name is KeyContext => name in BINDINGS);
const none: RawKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
};

test('Ctrl-C with open completions clears message and completions, and Esc closes only the completions', () => {
  expect(commandOf('popup', 'ctrl-c', new Set())).toBe('clearOrLeave');
  expect(commandOf('popup', 'esc', new Set())).toBe('close');
});

describe('bindings', () => {
  test.each(contexts)('%s: no key has two commands, unless conditions separate them', (context) => {
    const always = BINDINGS[context].filter(({ when }) => when === undefined).flatMap(({ keys }) => keys);
    expect(always).toHaveLength(new Set(always).size);
  });

  test.each(contexts)('%s: there is a key to leave, and help names every key', (context) => {
    const all = BINDINGS[context].flatMap(({ keys }) => keys);
    expect(all.some((key) => key === 'esc' || key === 'ctrl-c')).toBe(true);
    const rows = keyRows(context).map(([label]) => label);
    for (const { label } of BINDINGS[context]) expect(rows).toContain(label);
  });

  test('a key has the first command whose condition holds, or none', () => {
    expect(commandOf('composer', 'enter', new Set(['isIdle']))).toBe('send');
    expect(hintsOf('composer', new Set(['isRunning', 'isChanging']))[0]?.hint).toBe('save');
    expect(commandOf('composer', 'ctrl-s', new Set(['isIdle']))).toBeUndefined();
    expect(commandOf('form', ' ', new Set(['isChoice']))).toBe('toggle');
    expect(commandOf('composer', '?', new Set())).toBeUndefined();
  });

  test.each(['reason', 'editInput', 'form', 'settingChoice', 'settingText', 'changesText'] as const)(
    '%s: Ctrl-C leaves what is typed in, not the program',
    (context) => {
      expect(commandOf(context, 'ctrl-c', new Set())).toBe(commandOf(context, 'esc', new Set()));
      expect(hintsOf(context, new Set()).map(({ label }) => label)).toContain('Esc, Ctrl-C');
    },
  );

  test.each(
    contexts.filter(
      (context) =>
        !['reason', 'editInput', 'popup', 'settingChoice', 'settingText', 'changesText'].includes(context),
    ),
  )('%s: ? asks for help wherever it is not typed as text, and the keys at the bottom say so', (context) => {
    const notTyping = new Set(['isEmpty', 'isChoice', 'isChoosing']);
    const isInHelp = context === 'help';
    expect(commandOf(context, '?', notTyping)).toBe(isInHelp ? 'back' : 'help');
    if (!isInHelp) expect(hintsOf(context, notTyping).map(({ label }) => label)).toContain('?');
  });

  test('the help of the message explains the meanings of Enter', () => {
    expect(keyRows('composer')[0]).toEqual(['Enter', expect.stringContaining('send; during a turn: queue')]);
  });

  test('the help of the command lists all views', () => {
    for (const title of ['Session list', 'Tool call approval', 'Queued messages'])
      expect(chatKeysText()).toContain(title);
  });
});

describe('keyEvents', () => {
  test.each([
    ['a', {}, [{ text: 'a' }]],
    ['日本', {}, [{ text: '日本' }]],
    ['\r', { return: true }, [{ key: 'enter' }]],
    ['\r', { return: true, meta: true }, [{ key: 'alt-enter' }]],
    ['\n', {}, [{ key: 'ctrl-j' }]],
    ['s', { ctrl: true }, [{ key: 'ctrl-s' }]],
    ['b', { meta: true }, [{ key: 'alt-b' }]],
    ['', { tab: true, shift: true }, [{ key: 'shift-tab' }]],
    ['', { escape: true, meta: true }, [{ key: 'esc' }]],
    ['', { upArrow: true }, [{ key: 'up' }]],
    ['', { end: true, ctrl: true }, [{ key: 'ctrl-end' }]],
    ['ab\rc\t', {}, [{ text: 'ab' }, { key: 'enter' }, { text: 'c' }, { key: 'tab' }]],
  ])('%j with %j is %j', (input, raw, events) => {
    expect(keyEvents(input, { ...none, ...raw })).toEqual(events);
  });
});
