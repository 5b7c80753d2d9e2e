// The stand-in model in a process of its own: a slow answer that nobody reads any more ends with it. Prints its URL and
// lives until its stdin closes.
import { startStandInModel } from './stand-in-model.ts';

process.stdout.write(`${await startStandInModel()}\n`);
process.stdin.on('end', () => process.exit()).resume();
