/** In every error that a schedule makes, so that those can be told from faults of the host. */
export const SCHEDULED = 'the schedule says so';
