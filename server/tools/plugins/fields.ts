import { z } from 'zod';

// What the inputs of several plugins have in common.

export const ItemId = z.string().trim().min(1).max(64);
export const Tags = z.array(z.string().trim().min(1).max(50)).max(20);
export const Query = z.string().trim().min(1).max(500).describe('Words that must all match');
export const Limit = z.int().min(1).max(200).default(50);
export const Before = ItemId.optional().describe('The id to continue after, from an earlier page');
export const Day = z.iso.date().describe('YYYY-MM-DD');
