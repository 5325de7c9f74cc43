import { describe, expect, it } from 'vitest';
import { Account } from '../src/threads/account.js';
import { Paces } from '../src/threads/pace.js';

describe('threads', () => {
  it('rest when they have cost too much, and what they win pays for interruptions', () => {
    const account = new Account();
    account.noteTogether(-8);
    expect(account.isResting).toBe(false);
    account.noteTogether(-2);
    // For fifty times the 10 ms that they have cost, counted in time that operations take.
    account.noteAlone(499);
    expect(account.isResting).toBe(true);
    account.noteAlone(1);
    expect(account.isResting).toBe(false);
    for (let i = 0; i < 1000; i++) account.noteTogether(i % 10 === 9 ? -7 : 1);
    expect(account.isResting).toBe(false);
    for (let i = 0; i < 1000; i++) account.noteTogether(1);
    account.noteTogether(-50); // a long interruption, once
    expect(account.isResting).toBe(false);
    account.noteTogether(-50); // and again
    expect(account.isResting).toBe(true);
  });

  it('know the time of one thread as it is without interruptions, and ask for it again', () => {
    const pace = new Paces().of(1);
    for (const milliseconds of [5, 2, 30, 2.1]) pace.note(milliseconds);
    expect(pace.alone).toBeGreaterThan(1.9);
    expect(pace.alone).toBeLessThan(2.2);
    const due = Array.from({ length: 65 }, () => pace.isDue());
    expect(due.indexOf(true)).toBe(64);
  });
});
