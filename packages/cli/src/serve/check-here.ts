import {
  checkDataFolder,
  type FolderCheck,
  JournalError,
  type ServerSurvey,
  surveyServer,
} from '@agenthost/host';
import type { AgentFacts } from '../doctor/agents.ts';
import type { Context } from '../process/context.ts';
import { keyFolder } from '../process/files.ts';
import { reportAgents } from './agents.ts';
import { readConfig } from './config.ts';
import { explainConfig } from './explain.ts';
import { checkJournalUrl, splitJournalUrl } from './journal-url.ts';

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

/** The result of a query to the database server. A text is the reason why the server cannot be used. `undefined`: no URL is set. */
export type DatabaseSurvey = ServerSurvey | string | undefined;

/**
 * Queries the database server of AGENTHOST_JOURNAL or of the config file for the cell of a folder. Rejects with a `CliError` for a mistake in the URL
 * or in the file.
 */
export async function serverHere(
  { env }: Context,
  { file, isRequired }: { readonly file: string; readonly isRequired: boolean },
  cell: string,
): Promise<DatabaseSurvey> {
  try {
    const given = env['AGENTHOST_JOURNAL'] || (await readConfig(file, isRequired)).journal;
    if (given === undefined) return undefined;
    const { url } = splitJournalUrl(checkJournalUrl(given));
    const password = env['AGENTHOST_JOURNAL_PASSWORD'] || env['PGPASSWORD'] || undefined;
    return await surveyServer({ url, password }, cell);
  } catch (cause) {
    if (cause instanceof JournalError) return cause.message;
    throw explainConfig(cause);
  }
}
