/** Actions that appear while the pointer or the focus is near them; on touch screens they always show. */
export const HOVER_ACTIONS =
  'opacity-0 transition-opacity focus-within:opacity-100 touch:opacity-100 has-[[data-state=open]]:opacity-100';
