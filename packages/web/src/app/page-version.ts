/** Version of the page, as its package has it. */
export const PAGE_VERSION = '0.1.0';
