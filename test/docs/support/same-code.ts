/** The code without how it is laid out: what is taken out of an example may leave less to break into lines. */
export const laidOut = (code: string): string => code.replace(/\s+/g, '').replace(/,(?=[)\]}])/g, '')
