/** How the training of the tests goes. */
export interface Settings {
  epochs: number;
  /** With a folder, it saves every 5 steps and resumes. */
  runsDir?: string;
  dieAtStep?: number;
  how?: 'exit' | 'throw' | 'memory';
  brokenTraining?: boolean;
  /** The name of a hook that the training has, too. */
  onBothSides?: string;
}
