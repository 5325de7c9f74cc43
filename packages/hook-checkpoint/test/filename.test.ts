import { describe, expect, test } from 'vitest';
import { filenameTemplate } from '../src/folder/filename-template.js';

describe('the filename', () => {
  const values = {
    epoch: 7,
    step: 1200,
    'val/loss': 0.123456,
    'val/accuracy': 0.98,
    'lr/adam': 1e-5,
    x: -3.1459,
  };
  test.each([
    ['epoch_{epoch}_loss_{val/loss:.2f}', 'epoch_7_loss_0.12'],
    ['{epoch:03d}-{step:06d}', '007-001200'],
    ['{lr/adam:.1e}', '1.0e-5'],
    ['{val/loss:.3g}', '0.123'],
    ['{val/loss}', '0.1235'],
    ['{x:08.2f}', '-0003.15'],
    ['{epoch:4d}', '___7'],
    ['{test/loss:.2f}', 'none'],
    ['plain', 'plain'],
  ])('%s is %s', (template, name) => {
    expect(filenameTemplate(template, false)(values)).toBe(name);
  });

  test('names the metrics when that is asked for, without making folders of their slashes', () => {
    const name = filenameTemplate('{epoch}-{val/loss:.2f}', true)(values);
    expect(name).toBe('epoch=7-val_loss=0.12');
  });

  test('has nothing that a file system would not take', () => {
    expect(filenameTemplate('a:{epoch}?. ', false)({ epoch: 1 })).toBe('a_1_');
    expect(filenameTemplate('{x}', false)({ x: Number.NaN })).toBe('nan');
    expect(filenameTemplate('é'.repeat(500), false)({})).toHaveLength(75);
  });
});
