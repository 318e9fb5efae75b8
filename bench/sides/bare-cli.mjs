// The least a command line can be: asks the bare server and prints the tokens as they come.
import http from 'node:http';

const [url, conversation, text] = process.argv.slice(2);
const request = http.request(`${url}/chat`, { method: 'POST', headers: { 'content-type': 'application/json' } }, print);
request.end(JSON.stringify({ conversation, text }));

function print(response) {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (piece) => {
    const events = (rest + piece).split('\n\n');
    rest = events.pop();
    for (const event of events) if (event !== 'data: [DONE]') process.stdout.write(JSON.parse(event.slice(6)).token);
  });
  response.on('end', () => process.stdout.write('\n'));
}
