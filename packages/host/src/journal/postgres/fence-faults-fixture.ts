/** Bodies of the function `fence` with a fault: one that finds nothing, and one that keeps no host from taking the cell. */
export const FENCE_FAULTS = {
  'no check of the epoch': 'BEGIN END',
  'no lock of the cell': `BEGIN
    IF NOT EXISTS (SELECT 1 FROM agenthost.cells WHERE id = wanted AND epoch = held) THEN
      RAISE EXCEPTION 'fenced' USING ERRCODE = 'AH001';
    END IF;
  END`,
};

/** The statement that replaces the body of `fence`. */
export const replaceFence = (body: string): string =>
  `CREATE OR REPLACE FUNCTION agenthost.fence(wanted integer, held bigint, next bigint) RETURNS void LANGUAGE plpgsql AS $fault$ ${body} $fault$`;
