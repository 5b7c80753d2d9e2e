import { fuzzContract } from './fuzz/fuzz-contract.ts';

fuzzContract({ invalid: 50_000, any: 50_000 });
