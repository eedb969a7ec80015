#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
int main(){return pthread_join(pthread_self(),0)==EDEADLK?0:1;}
