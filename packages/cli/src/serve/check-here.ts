import { checkDataFolder, type FolderCheck } from '@agenthost/host';
import type { AgentFacts } from '../doctor/agents.ts';
import type { Context } from '../process/context.ts';
import { keyFolder } from '../process/files.ts';
import { reportAgents } from './agents.ts';
import { readConfig } from './config.ts';
import { explainConfig } from './explain.ts';

/** Checks the database of a data folder of this machine, which must exist. */
export const checkFolder = (dataDir: string): Promise<FolderCheck> => checkDataFolder(dataDir);

/** The agents that a host with this config file would have. Rejects with a `CliError` for a mistake in the file. */
export async function agentsHere(
  context: Context,
  { file, isRequired }: { readonly file: string; readonly isRequired: boolean },
  dataDir: string,
): Promise<readonly AgentFacts[]> {
  try {
    const reports = await reportAgents(await readConfig(file, isRequired), {
      environment: context.env,
      file,
      dataDir,
      keyFolder: keyFolder(context),
    });
    return reports.map(({ id, available, isDefault, reason, install }) => ({
      id,
      isReady: available,
      isDefault,
      isFailed: false,
      problem: reason,
      install,
    }));
  } catch (cause) {
    throw explainConfig(cause);
  }
}
