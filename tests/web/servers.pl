# HTTP::Daemon. Argument: the port. Any method is served.
use strict;
use warnings;
use HTTP::Daemon;
use HTTP::Response;

my $daemon = HTTP::Daemon->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], ReuseAddr => 1, Listen => 64) or die $!;
$SIG{CHLD} = 'IGNORE';
while (my $client = $daemon->accept) {
  if (fork) { $client->close; next; }
  while (my $request = $client->get_request) {
    my $host = $request->header('Host') // 'none';
    $client->send_response(HTTP::Response->new(200, 'OK', [], "served $host\n"));
  }
  exit;
}
