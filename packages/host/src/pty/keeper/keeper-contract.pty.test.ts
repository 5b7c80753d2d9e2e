import { afterAll } from 'vitest';
import { describePtyOwner } from '../contract/pty-contract.ts';
import { TestKeepers } from './contract-keepers.ts';

const keepers = new TestKeepers();
afterAll(() => keepers.end());

// All tests share one keeper process, so the owner of each test finds the keeper of the test before.
describePtyOwner('KeeperPtyOwner', async (limits) => keepers.owner({ limits }));
