// What the ranks of a run tell each other, in one piece that is loaded when it is needed.
export { agreeOnMoves } from './agree-on-moves.js';
export { isLeftOut, joinRanks, joinSums, joinUpdate } from './join-ranks.js';
export { checkAlike, startAlike } from './same-ranks.js';
