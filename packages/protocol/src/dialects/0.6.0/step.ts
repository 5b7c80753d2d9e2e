import type { Step } from '../step.ts';
import { chatSources } from './chat-sources.ts';
import { ptys } from './ptys.ts';
import { terminalResults } from './terminal-results.ts';
import { toolInputs } from './tool-inputs.ts';
import { DIRECTORY_ACTIONS, workingDirectories } from './working-directories.ts';

/** Step D: from 0.7.0 to 0.6.0. */
export const step060: Step = {
  to: '0.6.0',
  reshapings: [workingDirectories, chatSources, ptys, terminalResults, toolInputs],
  newer: { actions: DIRECTORY_ACTIONS },
};
