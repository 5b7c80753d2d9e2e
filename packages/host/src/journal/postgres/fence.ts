/**
 * The first statement of each transaction: fails unless the cell still has the epoch of this host, and keeps other hosts from taking the
 * cell until the transaction ends. Parameters: the cell, the epoch, and the number of the transaction within the epoch.
 */
export const FENCE = 'SELECT agenthost.fence($1, $2, $3)';
