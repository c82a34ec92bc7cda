/** Signs the tokens of the demo at the edge, where it runs here. */
export const SECRET = 'for this machine alone'
