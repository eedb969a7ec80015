#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_barrier_t b;int x[2]; void*w(void*a){int i=(long)a;pthread_barrier_wait(&b);x[i]=1;int y=x[1-i];return (void*)(long)y;}
int main(){pthread_barrier_init(&b,0,2);pthread_t t[2];for(long i=0;i<2;i++)pthread_create(&t[i],0,w,(void*)i);for(int i=0;i<2;i++)pthread_join(t[i],0);return 0;}
