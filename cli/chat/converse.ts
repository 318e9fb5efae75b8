export async function converse() {}
