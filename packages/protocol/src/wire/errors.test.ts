import { describe, expect, it } from 'vitest';
import * as errors from './errors.ts';
import { ErrorCodes, WireError } from './errors.ts';
import { SUPPORTED_RANGES } from './versions.ts';

const cases = [
  [errors.parseError('Unexpected end'), -32700, /Unexpected end/],
  [errors.invalidRequest('No method'), -32600, /No method/],
  [errors.methodNotFound('sing', 'mcp://a'), -32601, /"sing" on channel "mcp:\/\/a"/],
  [errors.invalidParams('limit: expected a number, got "x"'), -32602, /expected a number/],
  [errors.internalError('The journal is full'), -32603, /journal is full/],
  [errors.sessionNotFound('ahp-session:/1'), -32001, /"ahp-session:\/1".*listSessions/],
  [errors.providerNotFound('abc', ['demo', 'x']), -32002, /"abc".*demo, x/],
  [errors.sessionAlreadyExists('ahp-session:/1'), -32003, /"ahp-session:\/1".*another URI/],
  [errors.turnInProgress('ahp-chat:/1', 't1'), -32004, /"t1" of "ahp-chat:\/1".*cancel/],
  [errors.unsupportedProtocolVersion(SUPPORTED_RANGES, ['9.0.0']), -32005, /0\.5\.0.*got "?9\.0\.0/],
  [errors.contentNotFound('ahp-content:/1'), -32006, /"ahp-content:\/1"/],
  [errors.authRequired([{ resource: 'https://a.test' }]), -32007, /"https:\/\/a\.test".*authenticate/],
  [errors.notFound('terminal', 'ahp-terminal:/1'), -32008, /No terminal "ahp-terminal:\/1"/],
  [errors.permissionDenied('Outside the roots'), -32009, /Outside the roots/],
  [errors.alreadyExists('chat', 'ahp-chat:/1'), -32010, /chat "ahp-chat:\/1".*another URI/],
  [errors.conflict('The file has changed'), -32011, /has changed/],
] as const;

describe('wire errors', () => {
  it('ask for another name if the object has a name', () => {
    expect(errors.alreadyExists('token', 'tablet', 'name').message).toMatch(/token "tablet".*another name/);
  });

  it('have one code each, and every code has an error', () => {
    expect(cases.map(([error]) => error.code).toSorted()).toEqual(Object.values(ErrorCodes).toSorted());
  });

  it.each(cases)('%s has code %d and an informative message', (error, code, message) => {
    expect(error).toBeInstanceOf(WireError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('WireError');
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('[CONN-1] contain the supported versions', () => {
    expect(errors.unsupportedProtocolVersion(SUPPORTED_RANGES).data).toEqual({
      supportedVersions: ['^1.0.0', '^0.9.0', '^0.8.0', '^0.7.0', '^0.6.0', '^0.5.0', '^0.4.0'],
    });
  });

  it('[AUTH-2] contain the resources that require a token', () => {
    expect(errors.authRequired([{ resource: 'https://a.test' }]).data).toEqual({
      resources: [{ resource: 'https://a.test' }],
    });
  });

  it('[RES-2] contain the request that would grant access, if any', () => {
    const request = { channel: 'ahp-root://', uri: 'file:///etc', read: true } as const;
    expect(errors.permissionDenied('No', { request }).data).toEqual({ request });
    expect(errors.permissionDenied('No').data).toEqual({});
  });

  it('do not send the cause', () => {
    const cause = new Error('ENOSPC');
    const error = errors.internalError('The journal cannot be written', cause);
    expect(error.cause).toBe(cause);
    expect(error.data).toBeUndefined();
  });

  it.each([
    ['ahp-session:/1', -32001],
    ['copilot:/1', -32001],
    ['no uri', -32001],
    ['ahp-session:/1/annotations', -32001],
    ['ahp-chat:/1', -32008],
    ['ahp-terminal:/1', -32008],
    ['ahp-changeset:/1', -32008],
    ['ahp-resource-watch:/1', -32008],
    ['ahp-otlp:/logs', -32008],
    ['mcp://server', -32008],
    ['ahp-root://other', -32008],
  ])('[SUB-1] an unknown channel %s answers %d', (uri, code) => {
    expect(errors.channelNotFound(uri).code).toBe(code);
  });

  it('[SUB-1] for missing annotations do not report a missing session', () => {
    const { code, message } = errors.channelNotFound('ahp-session:/1/annotations');
    expect(code).toBe(-32001);
    expect(message).toMatch(/^No annotations of session "ahp-session:\/1": it has none/);
    expect(errors.channelNotFound('ahp-session:/1').message).toMatch(/^No session/);
  });

  it('quote and cut external texts', () => {
    const { message } = errors.sessionNotFound(`x:/\n${'a'.repeat(100_000)}`);
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(400);
  });

  it('cut offered versions too', () => {
    const { message } = errors.unsupportedProtocolVersion(SUPPORTED_RANGES, [
      'a\n'.repeat(100_000),
      { toString: null },
    ]);
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(400);
  });
});
