// Which of the two programs a manifest needs.
import type { File } from '../protocol';

const POLICY = /kind["']?\s*:\s*["']?(?:Validating|Mutating)AdmissionPolicy["']?\s*(?:[,}#]|$)/m;
const CONDITION = /matchConditions["']?\s*:/;

/**
 * Whether a file holds rules of admission in CEL, which only the larger program
 * evaluates. A comment or a text that looks like one costs no more than the bytes.
 */
export const needsExpressions = (files: readonly File[]): boolean => files.some((f) => POLICY.test(f.text) || CONDITION.test(f.text));
