/**
 * The first statement of each transaction: fails unless this host holds the lease of the cell and the database has the last commit of this host.
 * Extends the lease, and keeps other hosts from taking the cell until the transaction ends. Parameters: the cell, the token of the lease, the
 * number of the last commit, the number of this transaction, and the duration of the lease in ms.
 */
export const FENCE = 'SELECT agenthost.fence($1, $2, $3, $4, $5)';

/** Extends the lease at the end of a slow transaction. Parameters: the cell, and the duration of the lease in ms. */
export const EXTEND =
  "UPDATE agenthost.cells SET expires_at = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1";
