import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  CLIENT_NOTIFICATION_METHODS,
  CLIENT_REQUEST_METHODS,
  type ClientNotificationMethod,
  type ClientRequestMethod,
  HOST_NOTIFICATION_METHODS,
  HOST_REQUEST_METHODS,
  type HostNotificationMethod,
  type HostRequestMethod,
  MCP_METHOD_CAPABILITY,
} from './methods.ts';

describe('the lists of methods', () => {
  it('contain every method of the maps', () => {
    expectTypeOf<(typeof CLIENT_REQUEST_METHODS)[number]>().toEqualTypeOf<ClientRequestMethod>();
    expectTypeOf<(typeof CLIENT_NOTIFICATION_METHODS)[number]>().toEqualTypeOf<ClientNotificationMethod>();
    expectTypeOf<(typeof HOST_REQUEST_METHODS)[number]>().toEqualTypeOf<HostRequestMethod>();
    expectTypeOf<(typeof HOST_NOTIFICATION_METHODS)[number]>().toEqualTypeOf<HostNotificationMethod>();
    expect([CLIENT_REQUEST_METHODS.length, HOST_REQUEST_METHODS.length]).toEqual([73, 10]);
    expect([CLIENT_NOTIFICATION_METHODS.length, HOST_NOTIFICATION_METHODS.length]).toEqual([2, 12]);
  });

  it.each([
    [CLIENT_REQUEST_METHODS],
    [CLIENT_NOTIFICATION_METHODS],
    [HOST_REQUEST_METHODS],
    [HOST_NOTIFICATION_METHODS],
  ])('name nothing twice: %j', (methods) => {
    expect(new Set<string>(methods).size).toBe(methods.length);
  });

  it('[WIRE-5] contain the nine resource requests and createResourceWatch in both directions', () => {
    const both = HOST_REQUEST_METHODS.filter((method) => CLIENT_REQUEST_METHODS.includes(method));
    expect(both).toEqual(HOST_REQUEST_METHODS);
    expect(both.filter((method) => method.startsWith('resource'))).toHaveLength(9);
    expect(both).toContain('createResourceWatch');
  });

  it('[MCP-2] name a capability for each method of an MCP channel', () => {
    const of = (capability: string) =>
      Object.entries(MCP_METHOD_CAPABILITY).flatMap(([method, needed]) =>
        needed === capability ? [method] : [],
      );
    expect(of('serverTools')).toEqual(['tools/list', 'tools/call']);
    expect(of('serverResources')).toEqual(['resources/list', 'resources/templates/list', 'resources/read']);
  });
});
