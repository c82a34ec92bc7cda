/** The id of the extension in ../stranger, which its key gives it. */
export const FRIEND = 'ognfmlhjiodmoaoccckjofljalnkenip'
