/** Whether a cell has a name that fits into the path of a gateway: 1 to 100 letters, digits and `_.~-`, but neither `.` nor `..`. */
export const isCellName = (name: string): boolean => /^(?!\.{1,2}$)[\w.~-]{1,100}$/.test(name);
