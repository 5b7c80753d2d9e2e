import type { AhpClient } from '@agenthost/client';
import { type DiskUseResult, ErrorCodes, type URI } from '@agenthost/protocol';
import { wireCodeOf } from '../host-link/rpc-answer.ts';

/** Bytes that a session takes on the host's disk; `undefined` from a host that does not tell. */
export async function diskUseOf(client: AhpClient, channel: URI): Promise<DiskUseResult | undefined> {
  try {
    return await client.request('x-diskUse', { channel });
  } catch (error) {
    if (wireCodeOf(error) === ErrorCodes.MethodNotFound) return undefined;
    throw error;
  }
}

/** All of it. */
export const totalBytes = ({ turnsBytes, stateBytes, windowBytes, contentBytes }: DiskUseResult): number =>
  turnsBytes + stateBytes + windowBytes + contentBytes;
