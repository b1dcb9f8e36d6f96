#!/usr/bin/perl
# Opens a socket, as a server does, says READY=1, and waits for SIGTERM.
use strict;
use warnings;
use IO::Socket::INET;
use IO::Socket::UNIX;

$SIG{TERM} = sub { exit 0 };

my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 16) or die "listen: $@\n";

my $path = $ENV{NOTIFY_SOCKET} or die "NOTIFY_SOCKET is not set\n";
my $manager = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Peer => $path) or die "$path: $!\n";
$manager->send("READY=1\n") or die "send: $!\n";

sleep 1 while 1;
