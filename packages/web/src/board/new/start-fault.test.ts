import { RpcError } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { startFault } from './start-fault.ts';

const parameter = (name: string) =>
  new RpcError(-32602, `params.${name}: bad`, {
    'x-refusal': { kind: 'parameter', parameter: name, problem: 'bad' },
  });

describe('errors of a new session', () => {
  it('belong to the option that the host refused', () => {
    expect(startFault(parameter('config.approvals'))).toEqual({
      field: 'option',
      option: 'approvals',
      message: 'bad',
    });
  });

  it('belong to the folder, also when it does not exist or is not offered', () => {
    expect(startFault(parameter('workingDirectories[0]')).field).toBe('folder');
    expect(startFault(new RpcError(-32008, 'no such folder')).field).toBe('folder');
    expect(startFault(new RpcError(-32009, 'outside')).field).toBe('folder');
  });

  it('belong to the agent that does not exist', () => {
    expect(startFault(new RpcError(-32002, 'no agent x'))).toEqual({ field: 'agent', message: 'no agent x' });
  });

  it('ask for a sign-in that the agent needs', () => {
    expect(startFault(new RpcError(-32007, 'needed'))).toMatchObject({ field: 'form', needsSignIn: true });
  });

  it('belong to the form when no field caused them', () => {
    expect(startFault(new Error('boom'))).toEqual({ field: 'form', message: 'boom' });
  });
});
