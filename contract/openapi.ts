import { z } from 'zod';
import { ERROR_STATUS } from './errors.ts';
import { ROUTES, type Route } from './routes.ts';

/** An OpenAPI 3.1 document of every route, made from the same schemas that check the requests. */
export function openApiDocument(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    if (route.web) continue;
    const path = route.path.replaceAll('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(name, route) };
  }
  const shared: Record<string, unknown> = {};
  const described = shareDefinitions(paths, shared);
  return {
    openapi: '3.1.0',
    info: { title: 'Parley', version, description: 'One conversation, many agents.', license: { name: 'MIT' } },
    security: [{ token: [] }, { cookie: [] }],
    paths: described,
    components: { schemas: { Problem: PROBLEM, ...shared }, securitySchemes: SECURITY },
  };
}

/** A schema that refers to itself brings its own definitions; a reference in this document starts at its root. */
function shareDefinitions(paths: object, shared: Record<string, unknown>): unknown {
  const keys = new Map<string, string>();
  return JSON.parse(JSON.stringify(paths), (_, value) => {
    if (!value?.$defs) return value;
    let text = JSON.stringify(value);
    const names = Object.keys(value.$defs).map((name) => {
      const whole = JSON.stringify([name, value.$defs]);
      const key = keys.get(whole) ?? `Shared${keys.size + 1}`;
      keys.set(whole, key);
      text = text.replaceAll(`"#/$defs/${name}"`, `"#/components/schemas/${key}"`);
      return [name, key] as const;
    });
    const { $defs, ...schema } = JSON.parse(text);
    for (const [name, key] of names) shared[key] = $defs[name];
    return schema;
  });
}

const SECURITY = {
  token: { type: 'http', scheme: 'bearer', description: 'The token in the data folder' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'parley' },
};

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { enum: Object.keys(ERROR_STATUS) },
    detail: { type: 'string' },
    requestId: { type: 'string' },
    issues: { type: 'array', items: { type: 'string' } },
  },
};

function describe(name: string, route: Route): Record<string, unknown> {
  return {
    operationId: name,
    summary: route.summary,
    ...(route.access === 'open' && { security: [] }),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(route.upload && { requestBody: { required: true, content: { '*/*': { schema: BINARY } } } }),
    ...(route.body && { requestBody: { required: !route.bodyOptional, content: jsonContent(route.body, 'input') } }),
    responses: { [route.status]: success(route), default: FAILURE },
  };
}

const BINARY = { type: 'string', format: 'binary' };

const FAILURE = {
  description: 'A problem',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

function success(route: Route): Record<string, unknown> {
  const content = {
    ...(route.response && jsonContent(route.response, 'output')),
    ...(route.media && { [route.media]: { schema: { type: 'string' } } }),
  };
  return Object.keys(content).length > 0 ? { description: route.summary, content } : { description: route.summary };
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): Record<string, unknown>[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, 'input') as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: field,
  }));
}

function jsonContent(schema: z.ZodType, io: 'input' | 'output') {
  return { 'application/json': { schema: toSchema(schema, io) } };
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): unknown {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
