import { afterAll } from 'vitest';
import { describePtyOwner } from '../contract/pty-contract.ts';
import { TestKeepers } from './contract-keepers.ts';

const keepers = new TestKeepers();
afterAll(() => keepers.end());

// One keeper process for all: each test's owner finds that of the test before.
describePtyOwner('KeeperPtyOwner', async (limits) => keepers.owner({ limits }));
