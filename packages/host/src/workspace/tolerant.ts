import { errorCode } from '@agenthost/protocol/values';

/** The outcome of a look at the file system. `undefined`: the file system refused it, for example because nothing is there. */
export async function tolerant<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
