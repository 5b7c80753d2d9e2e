import { oneLine } from '../render/plain-text.ts';
import type { DatabaseSurvey } from '../serve/check-here.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** The database server of a folder without a host. */
export function checkServer(cell: string, survey: DatabaseSurvey): Finding {
  const shown = oneLine(cell);
  if (survey === undefined)
    return warning(
      'database',
      `not checked: the sessions are in PostgreSQL, in cell ${shown}`,
      'set AGENTHOST_JOURNAL to the URL of the database, and run this command again',
    );
  if (typeof survey === 'string')
    return fault('database', survey, 'correct this first: until then no host can start with this folder');
  const { name, tables, holder } = survey;
  const answers = `${oneLine(name)} answers`;
  if (tables === undefined)
    return warning(
      'database',
      `${answers}, but has no tables of a host, and the sessions were in cell ${shown}`,
      'check that AGENTHOST_JOURNAL names the right database',
    );
  const versioned = `its tables have version ${tables.version}`;
  if (!tables.isUsable)
    return fault(
      'database',
      `${answers}, but ${versioned}, of a newer agenthost`,
      'install the newer agenthost',
    );
  const held = holder === undefined ? 'no host holds' : `${oneLine(holder)} holds`;
  return ok('database', `${answers}, ${versioned}, and ${held} cell ${shown}`);
}
