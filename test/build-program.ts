// Runs before the tests that start the program as a process.
import { bundlePackages } from '../scripts/bundle-packages.ts';

export const setup = bundlePackages;
