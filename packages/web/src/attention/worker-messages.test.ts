import { describe, expect, it } from 'vitest';
import { pathWithin, readWorkerMessage } from './worker-messages.ts';

describe('messages of the service worker', () => {
  it('are read, and others left out', () => {
    expect(readWorkerMessage({ type: 'open', url: '/s/x' })).toEqual({ type: 'open', url: '/s/x' });
    expect(readWorkerMessage({ type: 'testArrived' })).toEqual({ type: 'testArrived' });
    expect(readWorkerMessage({ type: 'open' })).toBeUndefined();
    expect(readWorkerMessage('open')).toBeUndefined();
  });

  it('lead to paths below the base of the page only', () => {
    const base = new URL('https://host.example/agents/');
    expect(pathWithin('/s/ahp-session%3A%2Fx?ask=1', base)).toBe('/agents/s/ahp-session%3A%2Fx?ask=1');
    expect(pathWithin('/', base)).toBe('/agents/');
    expect(pathWithin('https://evil.example/', base)).toBeUndefined();
    expect(pathWithin('//evil.example/', base)).toBe('/agents/evil.example/');
    expect(pathWithin('/../x', base)).toBeUndefined();
    expect(pathWithin('javascript:alert(1)', base)).toBeUndefined();
  });
});
