/** Why a run has failed, without the name of the error's class. */
export const inWords = (error = ''): string => error.replace(/^\w*Error: /, '')
